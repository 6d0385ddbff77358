import { mount } from 'svelte';
import './styles/tokens.css';
import './styles/base.css';
import './styles/form.css';
import { chooseBackend } from './backend/choose';
import Window from './features/shell/Window.svelte';
import { createApp } from './state/app.svelte';

const target = document.getElementById('app');
if (target === null) throw new Error('index.html has no #app');
mount(Window, { target, props: { app: createApp(chooseBackend()) } });
