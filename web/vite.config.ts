import { readFileSync } from "node:fs";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type Plugin } from "vite";

const modules = new URL("./node_modules/", import.meta.url);
const pyodideVersion: string = JSON.parse(readFileSync(new URL("pyodide/package.json", modules), "utf8")).version;
const pyodideFolder = `pyodide/${pyodideVersion}/`;
const pyodideFiles = ["pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip"];
// What Pyodide reads through fetch, and so can be counted while it arrives; the rest comes by import.
const pyodideFetched = ["pyodide.asm.wasm", "pyodide-lock.json", "python_stdlib.zip"];
// CodeMirror and the packages it is made of: one licence, each with its own year.
const codemirror = ["@codemirror/view", "@lezer/common", "@lezer/python", "style-mod", "crelt", "w3c-keyname", "@marijn/find-cluster-break"];

/** The policy of the page, for hosts that send none. A header may say more: frame-ancestors is refused in a meta tag. */
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

function selfHosted(): Plugin {
  return {
    name: "paceline-self-hosted",
    apply: "build",
    transformIndexHtml: () => [
      { tag: "meta", attrs: { "http-equiv": "Content-Security-Policy", content: policy }, injectTo: "head-prepend" },
    ],
    generateBundle() {
      const ship = (fileName: string, ...from: string[]) =>
        this.emitFile({ type: "asset", fileName, source: Buffer.concat(from.map((file) => readFileSync(new URL(file, modules)))) });
      for (const file of pyodideFiles) ship(pyodideFolder + file, `pyodide/${file}`);
      ship("licences/svelte.md", "svelte/LICENSE.md");
      ship("licences/ibm-plex-sans.txt", "@fontsource/ibm-plex-sans/LICENSE");
      ship("licences/ibm-plex-mono.txt", "@fontsource/ibm-plex-mono/LICENSE");
      ship("licences/codemirror.txt", ...codemirror.map((name) => `${name}/LICENSE`));
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [svelte(), selfHosted()],
  define: {
    __PYODIDE__: JSON.stringify({
      folder: pyodideFolder,
      bytes: pyodideFetched.reduce((sum, file) => sum + readFileSync(new URL(`pyodide/${file}`, modules)).length, 0),
    }),
  },
  worker: { format: "es" },
  build: {
    outDir: "../src/paceline/_web",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    reportCompressedSize: false,
  },
  server: {
    // `npm run dev` draws the page; Python's part comes from a running `paceline learn --no-open`.
    proxy: Object.fromEntries(
      ["/engine.zip", "/baked", "/pyodide"].map((path) => [path, { target: "http://127.0.0.1:8432", changeOrigin: true }]),
    ),
  },
});
