import { NewCourse, type NewCourseProps } from "./NewCourse";
import { Wizard, type WizardProps } from "./Wizard";

type Props = WizardProps | (NewCourseProps & { course: null });

/** The course wizard: in the place of the forms of a new and of an existing course. */
export function Island(props: Props) {
  return props.course === null ? <NewCourse {...props} /> : <Wizard {...props} />;
}
