import { t } from "../../shared/i18n";
import { keyHelp } from "./keys";

/** What the keys of the editor do. */
export function KeyHelp() {
  return (
    <section className="panel panel__body mt-4 capkeys" aria-labelledby="captions-keys">
      <h2 className="h5" id="captions-keys">
        {t("Keys")}
      </h2>
      <dl className="keys keys--two mt-2">
        {keyHelp().map(([what, keys]) => (
          <div key={what}>
            <dt>{what}</dt>
            <dd>
              <kbd>Alt</kbd>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
        <div>
          <dt>{t("Find and replace")}</dt>
          <dd>
            <kbd>Ctrl</kbd>
            <kbd>F</kbd>
          </dd>
        </div>
      </dl>
    </section>
  );
}
