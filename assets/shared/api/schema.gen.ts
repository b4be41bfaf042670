// Provisional: `make contract` replaces this file with the whole interface.
export interface paths {
  "/api/v1/auth/session/": {
    get: {
      parameters: { query?: never; header?: never; path?: never; cookie?: never };
      responses: {
        200: { headers: Record<string, unknown>; content: { "application/json": { token: string } } };
        default: { headers: Record<string, unknown>; content: { "application/problem+json": unknown } };
      };
    };
  };
}
