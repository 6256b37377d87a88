import type { ApiRequest, ApiResponse } from '../http.ts';

/** Routes of the control API by method and path, such as `POST /sandbox/chaos`. */
export type ControlRoutes = Readonly<Record<string, ControlRoute>>;

interface ControlRoute {
  /** Shown in the index, `GET /sandbox`. */
  readonly description: string;
  /** Throws an `ApiError` when the request is invalid. */
  handle(request: ApiRequest): ApiResponse;
}
