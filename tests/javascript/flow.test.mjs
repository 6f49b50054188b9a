// The explorer's flow: an edge leads from the token that is read up to the token that reads it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { curvesOf, planOf } from "../../pages/attention/explorer/graph.js";

test("an edge begins at its key's column in one layer and ends at its query's above it", () => {
  const nodes = [[0, 0, 0], [0, 0, 0], [0, 0, 0]];
  const edges = [[0, 1, 7, 2, 1, 1], [1, 0, 7, 7, 1, 1], [0, 3, 7, 2, 1, 1]];
  const data = { columns: [2, 5, 7], tokens: ["a", "b", "c"], edges, nodes, stays: nodes.slice(1), mlps: [], mlp_adds: [], least: 0 };
  const plan = planOf(data, 400);
  const middle = (column) => plan.left + (column + 0.5) * plan.column;
  const [across, own, beside] = curvesOf(data, plan);
  assert.deepEqual([across[0], across[6]], [middle(0), middle(2)]);
  assert.deepEqual([own[0], own[6]], [middle(2), middle(2)]);
  assert.ok(across[7] < across[1] && own[1] === across[1] - plan.layer);
  assert.notDeepEqual(across.slice(2, 6), beside.slice(2, 6), "two heads between the same tokens stand side by side");
});
