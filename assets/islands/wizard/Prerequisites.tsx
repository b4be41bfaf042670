import { useRef, useState } from "react";

import { announce } from "../../shared/announce";
import { t } from "../../shared/i18n";
import { Icon } from "../../shared/ui/Icon";
import { type Choice, Inside, Label, labelIn, Status, useField } from "./CourseForm";

/** Courses that learners should complete first: chosen by name, shown as chips. */
export function Prerequisites({ choices }: { choices: readonly Choice[] }) {
  const { value, set, isLocked, ties } = useField("prerequisites");
  const [typed, setTyped] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const chosen = Array.isArray(value) ? (value as string[]) : [];
  const left = choices.filter((one) => !chosen.includes(one.value));
  const add = (text: string): boolean => {
    const wanted = text.trim().toLocaleLowerCase();
    const found = left.find(({ label }) => label.toLocaleLowerCase() === wanted);
    if (!found) return false;
    set([...chosen, found.value].sort());
    setTyped("");
    announce(t("{name} was added.", { name: found.label }));
    return true;
  };
  const remove = (one: string): void => {
    set(chosen.filter((other) => other !== one));
    announce(t("{name} was removed.", { name: labelIn(choices, one) }));
    input.current?.focus();
  };
  return (
    <Inside name="prerequisites">
      <div className="field">
        <Label
          name="prerequisites"
          label={t("Prerequisites")}
          tip={t(
            "Choose courses of yours that learners should complete before this one. They are listed on the course page with a link to each. Leave it empty if anyone can start.",
          )}
          about={t("About prerequisites")}
          end={<span className="field__opt">{t("Optional")}</span>}
        />
        {chosen.length > 0 && (
          <ul className="chips wizard__chips">
            {chosen.map((one) => (
              <li key={one} className="chip chip--on">
                {labelIn(choices, one) || one}
                {!isLocked && (
                  <button
                    type="button"
                    className="wizard__drop"
                    aria-label={t("Remove {name}", { name: labelIn(choices, one) || one })}
                    onClick={() => remove(one)}
                  >
                    <Icon name="x" />
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
        {choices.length === 0 ? (
          <p className="field__hint">{t("You have no other published course yet.")}</p>
        ) : (
          <input
            {...ties(true)}
            ref={input}
            className="input"
            list="wizard-prerequisites-list"
            autoComplete="off"
            placeholder={left.length > 0 ? t("Add a course") : t("All of your courses are added")}
            value={typed}
            onChange={({ target }) => {
              if (!add(target.value)) setTyped(target.value);
            }}
            onKeyDown={(event) => {
              if (event.key === "Backspace" && typed === "" && chosen.length > 0)
                remove(chosen.at(-1) ?? "");
              if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
              event.preventDefault();
              // The only course that has what was typed in its name.
              const text = typed.trim().toLocaleLowerCase();
              const like = left.filter(({ label }) => label.toLocaleLowerCase().includes(text));
              if (text !== "" && like.length === 1) add(like[0]?.label ?? "");
            }}
          />
        )}
        <datalist id="wizard-prerequisites-list">
          {left.map((one) => (
            <option key={one.value} value={one.label} />
          ))}
        </datalist>
        {choices.length > 0 && (
          <p className="field__hint" id="wizard-prerequisites-h">
            {typed === ""
              ? t("Type the name of a published course of yours.")
              : t("Choose one of your published courses.")}
          </p>
        )}
        <Status
          name="prerequisites"
          show={(other) =>
            (other as string[]).map((one) => labelIn(choices, one) || one).join(", ")
          }
        />
      </div>
    </Inside>
  );
}
