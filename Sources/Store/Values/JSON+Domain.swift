package import Domain
internal import FoundationEssentials
package import Postgres

extension JSON {
  /// The document of a value, numbers exact.
  package init(_ value: JSONValue) {
    self.init(text: value.text)
  }

  /// The document of an object.
  package init(_ object: JSONObject) {
    self.init(text: JSONValue.object(object).text)
  }

  /// The document of an encodable value.
  package init(encoding value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.init(text: String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// The value of the document.
  package func value() throws -> JSONValue {
    try JSONValue(parsing: text)
  }

  /// The document decoded as a type, members in stored order.
  package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
    try JSONValueDecoder.decode(type, from: value())
  }
}
