/// A coding key whose name is known only at run time.
package struct NamedKey: CodingKey, Hashable {
  package let stringValue: String
  package let intValue: Int?

  /// Creates a key with a name.
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
