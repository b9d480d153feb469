internal import Domain
internal import Web

/// The icons of pages, as paths on a grid of 16. They repeat a word beside them, so programs that read pages aloud skip
/// them.
enum Icon {
  static let mark = icon("<path d=\"M3 13V3h9M3 8h7\"/>")
  static let menu = icon("<path d=\"M2 4h12M2 8h12M2 12h12\"/>")
  static let bell = icon("<path d=\"M4 11V7a4 4 0 0 1 8 0v4l1 1H3zM7 14h2\"/>")
  static let person = icon("<circle cx=\"8\" cy=\"5\" r=\"3\"/><path d=\"M2 14c1-4 11-4 12 0\"/>")
  static let file = icon("<path d=\"M4 2h5l3 3v9H4zM9 2v3h3\"/>")

  private static func icon(_ shape: HTML) -> HTML {
    """
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">\(shape)</svg>
    """
  }

  /// Returns the icon of a state: an open ring, half a ring, a tick or a cross.
  static func state(_ category: StateCategory) -> HTML {
    switch category {
    case .done: icon("<circle cx=\"8\" cy=\"8\" r=\"6\"/><path d=\"M5 8l2 2 4-4\"/>")
    case .failed: icon("<circle cx=\"8\" cy=\"8\" r=\"6\"/><path d=\"M6 6l4 4M10 6l-4 4\"/>")
    case .active:
      icon("<circle cx=\"8\" cy=\"8\" r=\"6\"/><path class=\"solid\" d=\"M8 2a6 6 0 0 1 0 12z\"/>")
    default: icon("<circle cx=\"8\" cy=\"8\" r=\"6\"/>")
    }
  }
}
