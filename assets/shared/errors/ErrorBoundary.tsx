import { Component, type ReactNode } from "react";

import { ApiError } from "../api/errors";
import { CrashScreen, ErrorView, NotFound, NotFoundView } from "./views";

type Props = {
  children: ReactNode;
  /** The island is the page's main content: its failure is the page's. */
  isWholePage?: boolean;
  support?: string | undefined;
  /** What "Try Again" does where rendering once more is not enough. */
  onRetry?: (() => void) | undefined;
};
type State = { error: unknown; hasFailed: boolean };

/** Keeps the failure of one island in its own spot. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, hasFailed: false };

  static getDerivedStateFromError(error: unknown): State {
    return { error, hasFailed: true };
  }

  #retry = (): void => {
    if (this.props.onRetry) this.props.onRetry();
    else this.setState({ error: null, hasFailed: false });
  };

  override render(): ReactNode {
    const { children, isWholePage = false, support } = this.props;
    const { error, hasFailed } = this.state;
    if (!hasFailed) return children;
    const isMissing =
      error instanceof NotFound || (error instanceof ApiError && error.status === 404);
    if (isMissing) return <NotFoundView />;
    if (isWholePage) return <CrashScreen error={error} onRetry={this.#retry} support={support} />;
    return <ErrorView error={error} onRetry={this.#retry} />;
  }
}
