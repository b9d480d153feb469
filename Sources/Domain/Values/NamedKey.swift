/// A coding key whose names are known only when a document is read.
package struct NamedKey: CodingKey, Hashable {
  package let stringValue: String
  package let intValue: Int?

  /// A key of any name.
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
