/** Why a file is not a bill: one sentence. */
export class BillFault extends Error {}
