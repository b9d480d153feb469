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

  /// The document of anything that can be encoded.
  package init(encoding value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.init(text: String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// The value the text holds.
  package func value() throws -> JSONValue {
    try JSONValue(parsing: text)
  }

  /// The text decoded as a type of ours, members in the order they were stored.
  package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
    try JSONValueDecoder.decode(type, from: value())
  }
}
