/** A condition of one type, with the reasons that each of its two statuses may have. */
export type Condition<Type extends string, True extends string, False extends string> =
  | {
      readonly type: Type;
      readonly status: "True";
      readonly reason: True;
      readonly message: string;
    }
  | {
      readonly type: Type;
      readonly status: "False";
      readonly reason: False;
      readonly message: string;
    };
