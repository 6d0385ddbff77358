// Which shape tells which state.
import type { Reason } from '../bindings/Reason';
import type { Status } from '../bindings/Status';
import { t } from '../i18n';

export interface LampState {
  status: Status;
  reason: Reason | null;
}

export type Shape = 'disc' | 'arc' | 'broken-arc' | 'triangle' | 'key' | 'shield' | 'dash' | 'stack' | 'ring';

export function lampOf({ status, reason }: LampState): Shape {
  if (status === 'connected') return 'disc';
  if (status === 'connecting') return 'arc';
  switch (reason) {
    case 'failed':
    case 'invalid':
      return 'triangle';
    case 'needs_sign_in':
      return 'key';
    case 'needs_approval':
      return 'shield';
    case 'retrying':
      return 'broken-arc';
    case 'shadowed':
      return 'stack';
    case 'disabled':
    case 'denied':
    case 'host_disabled':
    case 'project_off':
    case 'filtered':
      return 'dash';
    case 'idle':
    case 'stopped':
    case null:
      return 'ring';
  }
}

export function lampText({ status, reason }: LampState): string {
  return status === 'disconnected' ? t.reasons[reason ?? 'idle'] : t.status[status];
}
