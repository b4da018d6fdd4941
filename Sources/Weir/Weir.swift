// What an app imports. `URLRequest` and `HTTPURLResponse` are the session's currency, so they come along where they
// have a module of their own.
#if canImport(FoundationNetworking)
@_exported public import FoundationNetworking
#endif
@_exported public import WeirAudit
@_exported public import WeirClient
@_exported public import WeirExport
@_exported public import WeirMetrics
@_exported public import WeirModel
@_exported public import WeirStreams
