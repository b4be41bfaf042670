import { useEffect, useState } from "react";

import { openUnsavedStore } from "../../shared/saving/unsavedStore";
import { NewCourse, type NewCourseProps } from "./NewCourse";
import { readTyped } from "./typedBefore";
import type { Kept } from "./useCourse";
import { Wizard, type WizardProps } from "./Wizard";

type Props = (WizardProps | (NewCourseProps & { course: null })) & {
  /** What was typed before the island was loaded, by field. */
  typed?: Record<string, unknown>;
};

export function readServerForm(spot: HTMLElement, props: Props): void {
  props.typed = readTyped(spot, props.subjects);
}

/** The course wizard: in the place of the forms of a new and of an existing course. */
export function Island(props: Props) {
  const [kept, setKept] = useState<Kept | null>(null);
  const { user, course } = props;
  const target = course?.uid ?? "new-course";
  useEffect(() => {
    let isOver = false;
    void openUnsavedStore(user, target).then((found) => {
      if (!isOver) setKept(found);
    });
    return () => {
      isOver = true;
    };
  }, [target, user]);
  // What the device kept comes before anything can be typed.
  if (!kept) return <div className="wiz wizard__wait" aria-busy="true" />;
  if (props.course === null) return <NewCourse {...props} kept={kept} />;
  return <Wizard {...props} kept={kept} />;
}
