/// An error in a file of a function or view.
package struct RoutineFault: Error, Sendable {
  /// Path in the folder of its app.
  package let path: String
  /// Line number, from 1.
  package let line: Int
  package let message: String
  /// The correction to make.
  package let hint: String
}
