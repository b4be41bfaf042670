import { Wizard, type WizardProps } from "./Wizard";

/** The course wizard: on the page of an existing course, in the place of its form. */
export function Island(props: WizardProps) {
  return <Wizard {...props} />;
}
