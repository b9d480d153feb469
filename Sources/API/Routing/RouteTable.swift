internal import Domain
internal import FoundationEssentials

/// Finds the route of a path.
package struct RouteTable: Sendable {
  /// The result of a search.
  package enum Match: Sendable {
    case route(Route, parameters: [String: String])
    /// The path exists, with these methods.
    case otherMethod([APIMethod])
    case none
  }

  private final class Node: Sendable {
    let fixed: [String: Node]
    let placeholder: Node?
    let routes: [APIMethod: Route]

    init(_ routes: [(segments: ArraySlice<String>, route: Route)]) {
      var ending: [APIMethod: Route] = [:]
      var fixed: [String: [(segments: ArraySlice<String>, route: Route)]] = [:]
      var open: [(segments: ArraySlice<String>, route: Route)] = []
      for (segments, route) in routes {
        guard let first = segments.first else {
          precondition(
            ending[route.method] == nil,
            "two routes for \(route.method.rawValue) \(route.pattern)"
          )
          ending[route.method] = route
          continue
        }
        if first.hasPrefix("{") {
          open.append((segments.dropFirst(), route))
        } else {
          fixed[first, default: []].append((segments.dropFirst(), route))
        }
      }
      self.routes = ending
      self.fixed = fixed.mapValues(Node.init)
      placeholder = open.isEmpty ? nil : Node(open)
    }
  }

  /// All routes, in the order of the document.
  package let routes: [Route]
  private let root: Node

  package init(_ routes: [Route]) {
    for route in routes {
      let name = route.repeatedName
      precondition(name == nil, "\(route.method.rawValue) \(route.pattern) has two members \(name ?? "")")
    }
    self.routes = routes
    // An empty segment at the end of a pattern is a slash that belongs to the address.
    root = Node(
      routes.map { route in
        let segments = route.pattern.split(separator: "/").map(String.init)
        return (
          ArraySlice(route.pattern.count > 1 && route.pattern.hasSuffix("/") ? segments + [""] : segments),
          route
        )
      }
    )
  }

  /// Returns the route of a path. HEAD is answered by the route of GET.
  package func find(_ method: APIMethod, _ path: String) -> Match {
    guard path.hasPrefix("/") else { return .none }
    var segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    if segments == [""] { segments = [] }
    guard !segments.dropLast().contains("") else { return .none }
    var values: [String] = []
    guard let node = walk(root, segments[...], &values) else { return .none }
    if let route = node.routes[method] ?? (method == .head ? node.routes[.get] : nil),
      let parameters = Self.parameters(of: route, values)
    {
      return .route(route, parameters: parameters)
    }
    let others = node.routes.values.filter { Self.parameters(of: $0, values) != nil }
    return .otherMethod(others.map(\.method).sorted { $0.rawValue < $1.rawValue })
  }

  /// Returns the values of the placeholders by name; nil if the route does not exist with them.
  private static func parameters(of route: Route, _ values: [String]) -> [String: String]? {
    let parameters = Dictionary(uniqueKeysWithValues: zip(route.placeholders, values))
    guard let exists = route.exists, !exists(parameters) else { return parameters }
    return nil
  }

  private func walk(_ node: Node, _ segments: ArraySlice<String>, _ values: inout [String]) -> Node? {
    guard let first = segments.first else { return node.routes.isEmpty ? nil : node }
    if let next = node.fixed[first], let found = walk(next, segments.dropFirst(), &values) { return found }
    guard let next = node.placeholder, let value = PercentCoding.decode(first), !value.isEmpty else {
      return nil
    }
    values.append(value)
    if let found = walk(next, segments.dropFirst(), &values) { return found }
    values.removeLast()
    return nil
  }
}
