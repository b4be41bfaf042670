import { createContext, type ReactNode, use, useMemo, useSyncExternalStore } from "react";

import { session as browserSession } from "./browser";
import type { Session, SessionState, SessionUser } from "./session";

export type Auth = SessionState & {
  isAuthenticated: boolean;
  login: (user: SessionUser, token: string) => void;
  logout: () => Promise<void>;
  checkAuth: () => Promise<boolean>;
};

const AuthContext = createContext<Auth | null>(null);

/** Provides the session to an island. All islands of the page share one session. */
export function AuthProvider({
  children,
  session = browserSession,
}: {
  children: ReactNode;
  session?: Session;
}) {
  const state = useSyncExternalStore(session.subscribe, () => session.state);
  const auth = useMemo<Auth>(
    () => ({
      ...state,
      isAuthenticated: session.isAuthenticated,
      login: (user, token) => session.login(user, token),
      logout: () => session.logout(),
      checkAuth: () => session.checkAuth(),
    }),
    [state, session],
  );
  return <AuthContext value={auth}>{children}</AuthContext>;
}

/** The session, inside an island. */
export function useAuth(): Auth {
  const auth = use(AuthContext);
  if (!auth) throw new Error("useAuth must be used within AuthProvider");
  return auth;
}
