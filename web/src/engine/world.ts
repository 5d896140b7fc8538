import { canonical, type Request } from "./canonical.ts";

/** A step's simulated world, as the page owns it: where it starts, and everything done in it so far. */
export interface World {
  readonly step: string;
  readonly seed: number;
  readonly actions: readonly Request[];
}

/** The request that brings any engine to `world`; its reply is the reply to the last action in it. */
export function replayText(world: World): string {
  return canonical({ act: "replay", step: world.step, seed: world.seed, actions: world.actions });
}
