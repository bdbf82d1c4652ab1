import { Agent } from '@agent-bundle/runtime'
export default defineTool({ title: 'One', }, () => {
