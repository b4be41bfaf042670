import { useState } from "react";

import { Transfers } from "../../shared/uploads/transfers";
import { tusTransport } from "../../shared/uploads/tusTransport";
import { Composer, type ComposerProps } from "./Composer";
import { findPlace } from "./place";

type Props = Omit<ComposerProps, "transfers"> & {
  /** The tus endpoint. */
  endpoint: string;
};

/** The parts of the form around the mount point, before the toolbar takes its place. */
export function readServerForm(spot: HTMLElement, props: Props): void {
  props.place = findPlace(spot);
  props.place.count.replaceChildren();
  props.pressed = spot.dataset.start;
}

/** Adds to a textarea of the page what scripts can. The form works without it. */
export function Island({ endpoint, ...props }: Props) {
  const [transfers] = useState(() => new Transfers(tusTransport(endpoint, "file", "library")));
  return <Composer {...props} transfers={transfers} />;
}
