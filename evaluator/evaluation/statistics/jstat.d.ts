/** What `distributions.ts` uses of jStat 1.9.6, which ships no types. */
declare module "jstat" {
  const jstat: {
    readonly jStat: {
      readonly normal: { inv(probability: number, mean: number, deviation: number): number };
      readonly beta: { inv(probability: number, alpha: number, beta: number): number };
      /** The regularised incomplete beta function. */
      ibeta(x: number, a: number, b: number): number;
    };
  };
  export default jstat;
}
