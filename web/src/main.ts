import { mount } from "svelte";
import "./fonts.css";
import "./tokens.css";
import "./page.css";
import App from "./App.svelte";
import { engine } from "./engine/index.ts";

const root = document.documentElement;

engine.stage.subscribe((stage) => {
  root.dataset.engine = stage.name;
});
engine.start();

const dark = matchMedia("(prefers-color-scheme: dark)");
const follow = () => {
  root.dataset.theme = dark.matches ? "dark" : "light";
};
follow();
dark.addEventListener("change", follow);

const target = document.getElementById("app");
if (target !== null) mount(App, { target });
