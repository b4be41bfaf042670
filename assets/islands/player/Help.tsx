import { t } from "../../shared/i18n";
import { Dialog } from "../../shared/ui/Dialog";
import type { Player } from "./engine/player";
import { useStore } from "./hooks";

type Row = [words: string, ...keys: string[]];

const groups = (): [title: string, rows: Row[]][] => [
  [
    t("Playing"),
    [
      [t("Play or pause"), t("Space")],
      [t("Back or forward 5 s"), "←", "→"],
      [t("Slower or faster"), "-", "+"],
      [t("Mute"), "M"],
      [t("Captions"), "C"],
      [t("Full screen"), "F"],
    ],
  ],
  [
    t("Lessons"),
    [
      [t("Next lesson"), "N"],
      [t("Previous lesson"), "P"],
      [t("Bookmark the course"), "B"],
      [t("Search"), "/"],
      [t("Home"), "H"],
      [t("This help"), "?"],
    ],
  ],
];

/** The keys, and the way to switch them off: single letters get in the way of speech control. */
export function Help({ player, onClose }: { player: Player; onClose: () => void }) {
  const { hasShortcuts } = useStore(player.choices);
  return (
    <Dialog title={t("Keyboard shortcuts")} className="dialog--keys" onClose={onClose}>
      <div className="keys">
        {groups().map(([title, rows]) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {rows.map(([words, ...keys]) => (
                <div key={words}>
                  <dt>{words}</dt>
                  <dd>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <label className="check mt-4">
        <input
          type="checkbox"
          checked={hasShortcuts}
          onChange={({ target }) => player.choices.change({ hasShortcuts: target.checked })}
        />
        {t("Use these keys while no field is in focus")}
      </label>
    </Dialog>
  );
}
