import { type KeyboardEvent, useRef, useState } from "react";

import { t } from "../../shared/i18n";
import type { IconName } from "../../shared/iconNames";
import { Icon } from "../../shared/ui/Icon";
import type { Tool } from "./editing";
import { capsOf, isMac } from "./keys";

type Props = {
  /** The id of the textarea. */
  controls: string;
  isDisabled: boolean;
  onTool: (tool: Tool) => void;
  onFiles: (files: readonly File[]) => void;
};

type Item = { tool: Tool; icon: IconName; label: () => string; gap?: boolean };

const items: Item[] = [
  { tool: "bold", icon: "bold", label: () => t("Bold") },
  { tool: "italic", icon: "italic", label: () => t("Italic") },
  { tool: "list", icon: "list", label: () => t("List"), gap: true },
  { tool: "numbers", icon: "list-ordered", label: () => t("Numbered list") },
  { tool: "quote", icon: "text-quote", label: () => t("Quote") },
  { tool: "code", icon: "code", label: () => t("Code"), gap: true },
  { tool: "formula", icon: "sigma", label: () => t("Formula") },
  { tool: "link", icon: "link", label: () => t("Link") },
];

/** A toolbar (ARIA Authoring Practices): one stop of the Tab key, arrow keys within. */
export function Toolbar({ controls, isDisabled, onTool, onFiles }: Props) {
  const [at, setAt] = useState(0);
  const bar = useRef<HTMLDivElement>(null);
  const chooser = useRef<HTMLInputElement>(null);

  const onKeyDown = (event: KeyboardEvent): void => {
    const last = items.length;
    const moves: Record<string, number> = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    };
    const next = moves[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(next);
    bar.current?.querySelectorAll("button")[next]?.focus();
  };
  const common = (index: number) =>
    ({
      type: "button",
      className: "icon-btn icon-btn--sm",
      tabIndex: index === at ? 0 : -1,
      disabled: isDisabled,
      onFocus: () => setAt(index),
    }) as const;

  return (
    <div
      ref={bar}
      className="composer__bar"
      role="toolbar"
      aria-label={t("Formatting")}
      aria-controls={controls}
      onKeyDown={onKeyDown}
    >
      {items.map(({ tool, icon, label, gap }, index) => (
        <button
          key={tool}
          {...common(index)}
          className={`icon-btn icon-btn--sm${gap ? " composer__gap" : ""}`}
          aria-label={label()}
          title={`${label()} (${capsOf(tool).join(isMac() ? "" : "+")})`}
          onClick={() => onTool(tool)}
        >
          <Icon name={icon} />
        </button>
      ))}
      <button
        {...common(items.length)}
        aria-label={t("Image or file")}
        title={t("Image or file")}
        onClick={() => chooser.current?.click()}
      >
        <Icon name="image-plus" />
      </button>
      <input
        ref={chooser}
        className="vh"
        type="file"
        multiple
        tabIndex={-1}
        aria-label={t("Choose images or files")}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = "";
        }}
      />
    </div>
  );
}
