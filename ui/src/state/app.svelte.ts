// All of the window's state, put together once and handed down by context.
import { getContext, setContext } from 'svelte';
import type { Backend } from '../backend/backend';
import { Actions } from './actions.svelte';
import { Calls } from './call.svelte';
import { OpenDetail } from './detail.svelte';
import { Model } from './model.svelte';
import { Navigation } from './navigation.svelte';
import { Sync } from './sync.svelte';
import { Toasts } from './toasts.svelte';
import { ToolShelf } from './tools.svelte';

export interface App {
  backend: Backend;
  model: Model;
  sync: Sync;
  navigation: Navigation;
  detail: OpenDetail;
  tools: ToolShelf;
  calls: Calls;
  toasts: Toasts;
  actions: Actions;
}

export function createApp(backend: Backend): App {
  const model = new Model();
  const tools = new ToolShelf(backend);
  const navigation = new Navigation(model, tools);
  const toasts = new Toasts();
  return {
    backend,
    model,
    tools,
    navigation,
    toasts,
    sync: new Sync(backend, model),
    detail: new OpenDetail(backend),
    calls: new Calls(backend),
    actions: new Actions(backend, model, navigation, toasts),
  };
}

const KEY = Symbol('app');
export const provideApp = (app: App): App => setContext(KEY, app);
export const useApp = (): App => getContext<App>(KEY);
