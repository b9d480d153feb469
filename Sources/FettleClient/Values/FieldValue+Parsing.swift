internal import Values

extension FieldValue {
  /// Parses JSON text.
  ///
  /// - Throws: ``ClientError`` with the kind `invalidAnswer` and the position of the first wrong byte.
  public init(parsing text: String) throws(ClientError) { try self.init(parsing: Array(text.utf8)) }

  init(parsing bytes: [UInt8]) throws(ClientError) {
    do throws(JSONError) {
      // Only nesting is limited here: the transport limits answers, and a page has many values.
      self.init(try JSONReader.read(bytes, DocumentLimits(bytes: .max, nodes: .max)))
    } catch {
      throw ClientError(.invalidAnswer, "invalid JSON: \(error)")
    }
  }

  private init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let number): self = .number(number.text)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map(FieldValue.init))
    case .object(let object):
      self = .object(
        Dictionary(object.members.lazy.map { ($0.key, FieldValue($0.value)) }, uniquingKeysWith: { $1 })
      )
    }
  }
}
