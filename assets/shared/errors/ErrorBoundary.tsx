import { Component, type ReactNode } from "react";

import { ApiError } from "../api/errors";
import { CrashScreen, ErrorView, NotFound, NotFoundView } from "./views";

type Props = {
  children: ReactNode;
  /** Whether the island is the main content of the page, so that its failure is that of the page. */
  isWholePage?: boolean;
  support?: string | undefined;
  /** What "Try Again" does instead of rendering again. */
  onRetry?: (() => void) | undefined;
};
type State = { error: unknown; hasFailed: boolean };

/** Shows the failure of an island in its own place. */
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
