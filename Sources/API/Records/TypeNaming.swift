package import Domain
package import Store

/// What people call a record type and its parts in one language.
package protocol TypeNaming: Sendable {
  /// The name of one record.
  var label: String { get }
  /// The name of several records.
  var plural: String { get }
  /// The words of a button that makes a record.
  var new: String { get }
  /// The name of the type's app.
  var app: String { get }

  func column(_ name: String) -> String
  func state(_ name: String) -> String
  func transition(_ name: String) -> String
  /// Returns the label of a permitted value of a column.
  func choice(_ value: String, of column: String) -> String
  /// Returns the numbers of a column that stand for words; empty for a column of amounts.
  func codes(_ column: String) -> [(value: String, label: String)]
  /// Returns what a field expects; nil if nothing is known in the language.
  func hint(_ column: String) -> String?
  /// Returns the sentence that is shown if a guard refuses, by the name of its message.
  func message(_ name: String) -> String?
}

/// Returns the words for a type in a language.
package typealias TypeNames = @Sendable (RecordType, Language) -> any TypeNaming
