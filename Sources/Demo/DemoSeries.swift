/// Tells one load's companies, people and ids from another's: scale and number, such as `m1`.
///
/// The scale is part of it because a larger load is not a smaller one with more behind it: it deals other members to
/// its first company, and what belongs to a member cannot be taken up by somebody else.
package struct DemoSeries: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
