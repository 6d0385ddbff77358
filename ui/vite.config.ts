import { svelte } from '@sveltejs/vite-plugin-svelte';
import { svelteTesting } from '@testing-library/svelte/vite';
import { defineConfig } from 'vitest/config';

// Where `npm run dev` finds the development bridge (`/rpc` and `/events`).
const bridge = process.env['JACKFIELD_BRIDGE'] ?? 'http://127.0.0.1:4801';

export default defineConfig({
  // Relative, so that the page also works from the desktop's own protocol.
  base: './',
  plugins: [svelte(), svelteTesting()],
  build: { target: 'es2022', assetsInlineLimit: 0, chunkSizeWarningLimit: 600 },
  server: { proxy: { '/rpc': bridge, '/events': bridge } },
  test: { environment: 'jsdom', include: ['tests/unit/**/*.test.ts'] },
});
