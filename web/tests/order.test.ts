import assert from "node:assert/strict";
import { test } from "node:test";
import { Order } from "../src/lesson/order.ts";

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test("a deed waits for the one before it, and one that fails holds up nothing", async () => {
  const order = new Order();
  const done: string[] = [];
  const first = order.add(async () => {
    await later(20);
    done.push("first");
  });
  const fails = order.add(async () => {
    done.push("fails");
    throw new Error("no");
  });
  const last = order.add(async () => {
    done.push("last");
    return 7;
  });
  assert.equal(order.isIdle, false);
  await first;
  await assert.rejects(fails);
  assert.equal(await last, 7);
  assert.deepEqual(done, ["first", "fails", "last"]);
  assert.equal(order.isIdle, true);
});
