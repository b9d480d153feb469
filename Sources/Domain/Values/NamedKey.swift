/// A coding key with a name known only at run time.
package struct NamedKey: CodingKey, Hashable {
  package let stringValue: String
  package let intValue: Int?

  /// Creates a key of any name.
  package init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  package init(stringValue: String) { self.init(stringValue) }

  package init(intValue: Int) {
    stringValue = String(intValue)
    self.intValue = intValue
  }
}
