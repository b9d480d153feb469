internal import Values

/// The value of a field of a record: JSON, with numbers as they were written.
public enum FieldValue: Sendable, Hashable {
  /// No value.
  case null
  /// True or false.
  case bool(Bool)
  /// A number as text, so that no digit of a decimal is lost.
  case number(String)
  /// A text, also for ids, dates and times.
  case string(String)
  /// A list.
  case array([FieldValue])
  /// An object.
  case object([String: FieldValue])

  /// The number of a whole number.
  public static func integer(_ value: some BinaryInteger) -> FieldValue { .number("\(value)") }

  /// The text of a string; nil for another value.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The whole number of a number; nil for another value.
  public var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }

  /// The approximate value of a number; nil for another value.
  public var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }

  /// The truth value; nil for another value.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The elements of a list; nil for another value.
  public var array: [FieldValue]? { if case .array(let elements) = self { elements } else { nil } }

  /// The members of an object; nil for another value.
  public var object: [String: FieldValue]? { if case .object(let members) = self { members } else { nil } }

  /// The member of an object; nil if there is none.
  public subscript(_ name: String) -> FieldValue? { object?[name] }
}

extension FieldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates the absence of a value.
  public init(nilLiteral: ()) { self = .null }
  /// Creates a list.
  public init(arrayLiteral elements: FieldValue...) { self = .array(elements) }
  /// Creates an object. The last of several members with the same name counts.
  public init(dictionaryLiteral elements: (String, FieldValue)...) {
    self = .object(Dictionary(elements) { _, last in last })
  }
}

extension FieldValue: CustomStringConvertible {
  /// The value as JSON text, with sorted names.
  public var description: String {
    var text = ""
    write(to: &text)
    return text
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .number(let number): text += number
    case .string(let string): JSONString.append(string, to: &text)
    case .array(let elements):
      text += "["
      for (index, element) in elements.enumerated() {
        if index > 0 { text += "," }
        element.write(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { text += "," }
        JSONString.append(member.key, to: &text)
        text += ":"
        member.value.write(to: &text)
      }
      text += "}"
    }
  }
}
