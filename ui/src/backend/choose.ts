import type { Backend } from './backend';
import { BridgeBackend } from './bridge';
import { inTauri, TauriBackend } from './tauri';

export const chooseBackend = (): Backend => (inTauri() ? new TauriBackend() : new BridgeBackend());
