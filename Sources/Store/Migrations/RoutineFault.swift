/// A reason for which a file of a function or view cannot be read.
package struct RoutineFault: Error, Sendable {
  /// The file in the folder of its app.
  package let path: String
  /// The line, counted from 1.
  package let line: Int
  package let message: String
  /// What to write instead.
  package let hint: String
}
