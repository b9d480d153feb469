package import Domain
internal import FoundationEssentials
package import Postgres

extension JSON {
  /// Creates the document of a value, with exact numbers.
  package init(_ value: JSONValue) {
    self.init(text: value.text)
  }

  /// Creates the document of an object.
  package init(_ object: JSONObject) {
    self.init(text: JSONValue.object(object).text)
  }

  /// Creates the document of an encodable value, with sorted keys.
  ///
  /// - Throws: `EncodingError` if the value cannot be encoded.
  package init(encoding value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    self.init(text: String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// Returns the value of the document.
  package func value() throws -> JSONValue {
    try JSONValue(parsing: text, limits: .stored)
  }

  /// Returns the document decoded as a type. Members keep their stored order.
  package func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
    try JSONValueDecoder.decode(type, from: value())
  }
}
