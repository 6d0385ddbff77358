// Short messages about what an action did. They stay long enough to be read and can be dismissed.
export interface ToastAction {
  text: string;
  run: () => void;
}

export interface Toast {
  id: number;
  text: string;
  hint: string | null;
  bad: boolean;
  action: ToastAction | null;
}

const STAY_MS = 8000;
const MOST = 4;

export class Toasts {
  list = $state.raw<Toast[]>([]);
  #next = 1;
  readonly #timers = new Map<number, ReturnType<typeof setTimeout>>();

  say(text: string, action: ToastAction | null = null, hint: string | null = null): number {
    return this.#add({ text, hint, bad: false, action });
  }

  complain(text: string, hint: string | null): void {
    this.#add({ text, hint, bad: true, action: null });
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  /** While it is looked at, it stays. */
  hold(id: number): void {
    clearTimeout(this.#timers.get(id));
  }

  release(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.set(id, setTimeout(() => this.dismiss(id), STAY_MS));
  }

  #add(toast: Omit<Toast, 'id'>): number {
    // The same words again replace themselves instead of piling up.
    const same = this.list.find((other) => other.text === toast.text);
    if (same !== undefined) this.dismiss(same.id);
    const id = this.#next;
    this.#next += 1;
    const list = [...this.list, { ...toast, id }];
    for (const old of list.slice(0, -MOST)) this.dismiss(old.id);
    this.list = list.slice(-MOST);
    this.release(id);
    return id;
  }
}
