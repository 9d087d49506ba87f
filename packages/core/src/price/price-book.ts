/**
 * The prices in force on a node: the frozen list and the operator's overlay. Reading → cost.
 */
