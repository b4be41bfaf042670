import type { IconName } from "../../shared/iconNames";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { Menu } from "../../shared/ui/Menu";
import type { Entry } from "./entries";

export type EntryAction = "open" | "download" | "rename" | "move" | "copy" | "share" | "bin";

type Props = {
  entry: Entry;
  isActive: boolean;
  onChoose: (action: EntryAction) => void;
};

/** What can be done with one entry. */
export function EntryMenu({ entry, isActive, onChoose }: Props) {
  const item = (id: EntryAction, icon: IconName, label: string) => ({
    id,
    title: (
      <>
        <Icon name={icon} />
        {label}
      </>
    ),
  });
  return (
    <Menu
      label={t("Actions for {name}", { name: entry.name })}
      button={<Icon name="ellipsis" />}
      buttonClass="icon-btn icon-btn--sm"
      buttonTabIndex={isActive ? 0 : -1}
      items={[
        item("open", entry.is === "folder" ? "folder-open" : "eye", t("Open")),
        item("download", "download", t("Download")),
        item("rename", "pencil", t("Rename")),
        item("move", "folder-input", t("Move to…")),
        item("copy", "copy", t("Copy to…")),
        item("share", "share-2", t("Share")),
        item("bin", "trash-2", t("Move to bin")),
      ]}
      onToggle={(isOpen) => isOpen && requestAnimationFrame(() => showMenu(entry.uid))}
      onChoose={(id) => onChoose(id as EntryAction)}
    />
  );
}

/** Scroll until the whole menu is in view: that of the last row goes beyond the window. */
function showMenu(uid: string): void {
  const row = document.querySelector(`[data-entry="${uid}"]`);
  row?.querySelector("[role=menu]")?.scrollIntoView({ block: "nearest" });
}
