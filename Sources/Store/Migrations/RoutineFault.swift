/// An error in a file of a function or view.
package struct RoutineFault: Error, Sendable {
  /// The path in the folder of the app.
  package let path: String
  /// The line number, from 1.
  package let line: Int
  package let message: String
  /// The correction to make.
  package let hint: String
}
