import type { ComponentType } from "react";

import { openUnsavedStore } from "../../shared/saving/unsavedStore";
import { focusedField } from "../../shared/rememberFocus";
import type { NewCourseProps } from "./NewCourse";
import { readTyped, type TypedBefore } from "./typedBefore";
import type { Kept } from "./useCourse";
import { fetchStepOf, Wizard, type WizardProps } from "./Wizard";

/** Fetched on the page of a new course alone. */
let NewCourse: ComponentType<NewCourseProps & { kept: Kept } & TypedBefore> | null = null;

type Props = (WizardProps | (NewCourseProps & { course: null })) & {
  kept: Kept;
} & TypedBefore;

export function readServerForm(spot: HTMLElement, props: Props): void {
  props.typed = readTyped(spot, props);
  props.entered = focusedField(spot).name;
}

/** What the device kept comes before anything can be typed, and so does the step in which somebody types already. */
export async function prepare(props: Props): Promise<void> {
  const { user, course } = props;
  props.kept = await openUnsavedStore(user, course?.uid ?? "new-course");
  if (course === null) ({ NewCourse } = await import("./NewCourse"));
  else await fetchStepOf(document.activeElement?.getAttribute("name") ?? "");
}

/** The course wizard: in the place of the forms of a new and of an existing course. */
export function Island(props: Props) {
  if (props.course !== null) return <Wizard {...props} />;
  return NewCourse && <NewCourse {...props} />;
}
