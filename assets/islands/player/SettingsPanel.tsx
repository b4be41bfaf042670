import { useEffect, useRef } from "react";

import { t } from "../../shared/i18n";
import type { Player } from "./engine/player";
import {
  CAPTION_BACKS,
  CAPTION_SIZES,
  type CaptionBack,
  type CaptionSize,
  type Quality,
} from "./engine/settings";
import { useOfferedQualities } from "./qualities";
import { useStore } from "./usePlayback";

type Props = { player: Player; id: string };

/** What the learner chose for all lessons: the next lesson, the quality on phones, and how captions look. */
export function SettingsPanel({ player, id }: Props) {
  const choices = useStore(player.choices);
  const { chosen, offered } = useOfferedQualities(player.playback);
  const panel = useRef<HTMLDivElement>(null);
  const { captions, isAudioOnly } = player.lesson;
  useEffect(() => panel.current?.querySelector<HTMLElement>("input, select")?.focus(), []);
  const sizes: Record<CaptionSize, string> = {
    small: t("Small"),
    normal: t("Normal"),
    large: t("Large"),
    huge: t("Very large"),
  };
  const backs: Record<CaptionBack, string> = {
    veil: t("See-through"),
    black: t("Black"),
    none: t("None"),
  };

  return (
    <div
      className="menu__panel tune"
      role="group"
      aria-label={t("Settings")}
      id={id}
      ref={panel}
      data-holds=""
    >
      <label className="tune__row">
        <span>{t("Autoplay next lesson")}</span>
        <input
          type="checkbox"
          checked={choices.playsNext}
          onChange={({ target }) => player.choices.change({ playsNext: target.checked })}
        />
      </label>
      {!isAudioOnly && (
        <Choice
          className="tune__quality"
          label={t("Quality")}
          value={chosen}
          options={offered}
          onChoose={(quality) => player.playback.setQuality(quality as Quality)}
        />
      )}
      {captions.length > 0 && (
        <Choice
          label={t("Captions")}
          value={choices.hasCaptions ? choices.captionLanguage : ""}
          options={[
            ["", t("Off")],
            ...captions.map(({ language, label }) => [language, label] as const),
          ]}
          onChoose={(language) => player.chooseCaptions(language || null)}
        />
      )}
      {captions.length > 0 && (
        <Choice
          label={t("Size of captions")}
          value={choices.captionSize}
          options={CAPTION_SIZES.map((size) => [size, sizes[size]] as const)}
          onChoose={(size) => player.choices.change({ captionSize: size as CaptionSize })}
        />
      )}
      {captions.length > 0 && !isAudioOnly && (
        <Choice
          label={t("Background of captions")}
          value={choices.captionBack}
          options={CAPTION_BACKS.map((back) => [back, backs[back]] as const)}
          onChoose={(back) => player.choices.change({ captionBack: back as CaptionBack })}
        />
      )}
    </div>
  );
}

type ChoiceProps = {
  label: string;
  value: string;
  options: readonly (readonly [id: string, label: string])[];
  onChoose: (id: string) => void;
  className?: string;
};

function Choice({ label, value, options, onChoose, className = "" }: ChoiceProps) {
  return (
    <label className={`tune__row ${className}`}>
      <span>{label}</span>
      <select value={value} onChange={({ target }) => onChoose(target.value)}>
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
