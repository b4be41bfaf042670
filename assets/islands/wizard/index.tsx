import { openUnsavedStore } from "../../shared/saving/unsavedStore";
import { NewCourse, type NewCourseProps } from "./NewCourse";
import { readTyped } from "./typedBefore";
import type { Kept } from "./useCourse";
import { Wizard, type WizardProps } from "./Wizard";

type Props = (WizardProps | (NewCourseProps & { course: null })) & {
  kept: Kept;
  /** What was typed before the island was loaded, by field. */
  typed?: Record<string, unknown>;
};

export function readServerForm(spot: HTMLElement, props: Props): void {
  props.typed = readTyped(spot, props.subjects);
}

/** What the device kept comes before anything can be typed. */
export async function prepare(props: Props): Promise<void> {
  props.kept = await openUnsavedStore(props.user, props.course?.uid ?? "new-course");
}

/** The course wizard: in the place of the forms of a new and of an existing course. */
export function Island(props: Props) {
  return props.course === null ? <NewCourse {...props} /> : <Wizard {...props} />;
}
