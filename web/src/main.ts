import { mount } from "svelte";
import "./fonts.css";
import "./tokens.css";
import "./page.css";
import App from "./App.svelte";
import { engine } from "./engine/index.ts";
import { openTheme } from "./frame/theme.ts";
import { openProgress } from "./lesson/progress.ts";

engine.stage.subscribe((stage) => {
  document.documentElement.dataset.engine = stage.name;
});
openTheme();
openProgress();
engine.start();

const target = document.getElementById("app");
if (target !== null) mount(App, { target });
