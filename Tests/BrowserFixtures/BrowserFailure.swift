internal import Foundation

/// What a test expected of a page, and what the page shows instead.
package struct BrowserFailure: Error, CustomStringConvertible {
  package let problem: String
  package let address: String
  package let title: String
  /// The first lines of the visible text of the page's main part.
  package let text: String
  /// The path of a picture of the page; empty if none could be taken.
  package let picture: String

  package var description: String {
    """
    \(problem)
    address: \(address)
    title: \(title)
    picture: \(picture)
    text: \(text)
    """
  }
}

extension Browser {
  /// The folder of pictures of failures, which stay after the tests.
  private static var pictures: URL {
    FileManager.default.temporaryDirectory.appending(path: "fettle-browser")
  }

  /// Returns a failure with what the page shows now. What cannot be read is left empty.
  package func failure(_ problem: String) async -> BrowserFailure {
    let picture = Self.pictures.appending(path: "\(UUID().uuidString.prefix(8)).png")
    let isTaken = (try? await screenshot(to: picture)) != nil
    return BrowserFailure(
      problem: problem,
      address: (try? await address) ?? "",
      title: (try? await title) ?? "",
      text: String(((try? await mainText) ?? "").prefix(2_000)),
      picture: isTaken ? picture.path : ""
    )
  }
}
