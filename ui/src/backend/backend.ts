// What the window asks of the engine, whichever way the words travel.
import type { ApiErrorBody } from '../bindings/ApiErrorBody';
import type { CallOutcome } from '../bindings/CallOutcome';
import type { Command } from '../bindings/Command';
import type { Conflict } from '../bindings/Conflict';
import type { Delta } from '../bindings/Delta';
import type { EditOutcome } from '../bindings/EditOutcome';
import type { EditPreview } from '../bindings/EditPreview';
import type { ErrorCode } from '../bindings/ErrorCode';
import type { FieldProblem } from '../bindings/FieldProblem';
import type { FilePreview } from '../bindings/FilePreview';
import type { FileView } from '../bindings/FileView';
import type { FormView } from '../bindings/FormView';
import type { HistoryEntry } from '../bindings/HistoryEntry';
import type { ImportView } from '../bindings/ImportView';
import type { LogPage } from '../bindings/LogPage';
import type { Projects } from '../bindings/Projects';
import type { RegistryFilled } from '../bindings/RegistryFilled';
import type { RegistryPage } from '../bindings/RegistryPage';
import type { RegistryServer } from '../bindings/RegistryServer';
import type { ServerDetail } from '../bindings/ServerDetail';
import type { Snapshot } from '../bindings/Snapshot';
import type { TargetRow } from '../bindings/TargetRow';
import type { ToggleOutcome } from '../bindings/ToggleOutcome';
import type { ToolRow } from '../bindings/ToolRow';
import type { Usage } from '../bindings/Usage';

/** The answer of each command, as `command.rs` states it. */
interface Answers {
  snapshot: Snapshot;
  server_detail: ServerDetail;
  server_tools: ToolRow[];
  server_log: LogPage;
  server_usage: Usage | null;
  call_tool: CallOutcome;
  set_enabled: ToggleOutcome;
  open_project: Projects;
  pick_folder: string | null;
  targets: TargetRow[];
  server_form: FormView;
  preview_edit: EditPreview;
  apply_edit: EditOutcome;
  history: HistoryEntry[];
  history_diff: FilePreview[];
  file_text: FileView;
  check_text: FileView;
  import: ImportView;
  registry_search: RegistryPage;
  registry_server: RegistryServer;
  registry_fill: RegistryFilled;
}

export type Answer<C extends Command> = C['cmd'] extends keyof Answers ? Answers[C['cmd']] : null;

export interface Backend {
  request<C extends Command>(command: C): Promise<Answer<C>>;
  /** Resolves once deltas flow. `lost` is called at most once, when they no longer do. */
  subscribe(delta: (delta: Delta) => void, lost: () => void): Promise<() => void>;
}

export class ApiError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly hint: string | null,
    /** What is wrong with which field of a form. */
    readonly problems: FieldProblem[] = [],
    /** Both sides, when the file has changed meanwhile. */
    readonly conflict: Conflict | null = null,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

function isBody(value: unknown): value is ApiErrorBody {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}

/** Whatever a transport throws, as something that can be shown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isBody(thrown)) return new ApiError(thrown.code ?? 'internal', thrown.message, thrown.hint ?? null, thrown.problems ?? [], thrown.conflict ?? null);
  return new ApiError('internal', typeof thrown === 'string' ? thrown : String(thrown), null);
}
