/// The ranges of the numbers that devices send. The reader of a request and its schema in the OpenAPI document take them
/// from here, so that no number arrives that a later conversion, or a column, cannot hold.
package enum SyncBounds {
  /// The largest whole number that every reader of JSON reads exactly.
  private static let largest: Int64 = 9_007_199_254_740_991

  /// The numbers of changes, and the versions of records.
  package static let numbers: ClosedRange<Int64> = 1...largest
  /// Counts, and the number of a last change, which is 0 before the first.
  package static let counts: ClosedRange<Int64> = 0...largest
  /// The versions of the record types for which a client is built.
  package static let schemaVersions: ClosedRange<Int64> = 1...1_000_000

  /// The most waiting changes that are recorded of a device; more count as this number.
  static let mostWaiting: Int64 = 1_000_000_000
  /// The most attempts that are recorded of a change; more count as this number.
  static let mostAttempts: Int64 = 10_000
}
