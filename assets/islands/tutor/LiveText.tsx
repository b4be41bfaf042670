import { t } from "../../shared/i18n";
import { plainText } from "./merging";

/** The text of an answer while it is written: plain paragraphs. The finished one comes as HTML. */
export function LiveText({ text }: { text: string }) {
  const paragraphs = plainText(text)
    .split(/\n{2,}/)
    .filter((one) => one.trim() !== "");
  if (paragraphs.length === 0)
    return (
      <p className="thinking">
        <span className="thinking__dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        {t("Thinking")}
      </p>
    );
  return (
    <div className="prose answered__live" aria-busy="true">
      {paragraphs.map((one, index) => (
        <p key={index}>{one}</p>
      ))}
    </div>
  );
}
