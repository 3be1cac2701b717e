/** Names a selector by its field in a ModelDeployment. */
export function selectorPath(engine: number, member: number, request: number, at: number): string {
  return `spec.template.spec.engines[${engine}].members[${member}].nodeSelector.devices[${request}].selectors[${at}].cel`;
}
