// The text of a worker's script, joined by tlmviz/ui/components/scripts.py for an import that ends in `?source`.

declare module "#browser/training/worker.js?source" {
  export const trainingWorker: string;
}
