/// Identifies the companies, people and ids of one load: scale and number, such as `m1`.
///
/// The scale is included because a larger load does not extend a smaller one: the first company of the larger
/// load has other members, and private records cannot change their owner.
package struct DemoSeries: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}
